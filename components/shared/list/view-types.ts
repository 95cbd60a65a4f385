import type { Result } from '@/lib/errors'
import type { SavedView } from '@/lib/lists/saved-views'

/** How views of this list are written; each gives all of the person's back. */
export type ViewActions = {
  save: (view: { name: string; query: string }) => Promise<Result<{ id: string; views: SavedView[] }>>
  update: (view: { id: string; name?: string; query?: string; isDefault?: boolean }) => Promise<Result<SavedView[]>>
  remove: (view: { id: string }) => Promise<Result<SavedView[]>>
}

export type SavedViewsProps = {
  /** What is listed: deployments. */
  noun: string
  actions: ViewActions
  views: readonly SavedView[]
  /** The view in the URL; undefined for none. */
  current: SavedView | undefined
  /** What of the URL a view would keep. */
  query: string
  onViews: (views: readonly SavedView[]) => void
  /** Shows a view, or the list without any. */
  onOpen: (view: SavedView | undefined) => void
}

export type ViewTask = { kind: 'save' } | { kind: 'rename' | 'delete'; view: SavedView }
