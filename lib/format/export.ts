/** Rows that one export holds at most; a file that was cut off says so in itself. */
export const EXPORT_CAP = 50_000
