/** A user's named filters of a list in one workspace. `query` is the page's own, without the paging. */
export type SavedView = { id: string; name: string; query: string; isDefault: boolean }

export const MAX_VIEWS = 50
export const MAX_VIEW_NAME = 80
