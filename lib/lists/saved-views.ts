/** A list's filters under a name, of one person in one workspace. `query` is the page's own, without its place in the list. */
export type SavedView = { id: string; name: string; query: string; isDefault: boolean }

export const MAX_VIEWS = 50
export const MAX_VIEW_NAME = 80
