/** The revisions that the overview lists: what the server gives by default, newest first. */
export const OVERVIEW_REVISIONS = {}
