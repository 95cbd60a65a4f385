/** Most rows of an export; a truncated file says so. */
export const EXPORT_CAP = 50_000
