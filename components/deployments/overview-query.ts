/** The query for the newest revisions on the overview. */
export const OVERVIEW_REVISIONS = { limit: 5 }
