/** Named filters of a list in one workspace: the user's own, or shared ones. `query` is the page's own, without the paging. */
export type SavedView = {
  id: string
  name: string
  query: string
  isDefault: boolean
  /** All members of the workspace see it. */
  isShared: boolean
  /** E-mail address of somebody else whose view it is; null: the user's own. */
  owner: string | null
}

export const MAX_VIEWS = 50
export const MAX_VIEW_NAME = 80

/** A user's named run request for one deployment. Its content is loaded when it is chosen. */
export type RunTemplate = { id: string; name: string }

export const MAX_TEMPLATES = 50
export const MAX_TEMPLATE_NAME = 80
/** Length of its JSON text. */
export const MAX_TEMPLATE_LENGTH = 100_000

/** Deployments that a user marks in one workspace. Their ids fit into one request. */
export const MAX_FAVOURITES = 50
