/** The revisions that the overview lists, newest first. */
export const OVERVIEW_REVISIONS = { limit: 5 }
