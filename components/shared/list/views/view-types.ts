import type { Result } from '@/lib/errors'
import type { SavedView } from '@/lib/lists/saved'

/** The writes to this list's views; each returns all of the user's views. */
export type ViewActions = {
  save: (view: { name: string; query: string }) => Promise<Result<{ id: string; views: SavedView[] }>>
  update: (view: {
    id: string
    name?: string
    query?: string
    isDefault?: boolean
    isShared?: boolean
  }) => Promise<Result<SavedView[]>>
  remove: (view: { id: string }) => Promise<Result<SavedView[]>>
}

export type SavedViewsProps = {
  /** The items of the list: "deployments". */
  noun: string
  actions: ViewActions
  views: readonly SavedView[]
  /** The view in the URL, if any. */
  current: SavedView | undefined
  /** The part of the URL that a view would keep. */
  query: string
  onViews: (views: readonly SavedView[]) => void
  /** Shows a view, or the unfiltered list without one. */
  onOpen: (view: SavedView | undefined) => void
}

export type ViewTask = { kind: 'save' } | { kind: 'rename' | 'delete'; view: SavedView }
