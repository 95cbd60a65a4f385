import type { SavedView } from '@/lib/saved-views'

export type SavedViewsProps = {
  workspace: string
  views: readonly SavedView[]
  /** The view in the URL; undefined for none. */
  current: SavedView | undefined
  /** What of the URL a view would keep. */
  query: string
  onViews: (views: readonly SavedView[]) => void
  /** Shows a view, or all deployments. */
  onOpen: (view: SavedView | undefined) => void
}

export type ViewTask = { kind: 'save' } | { kind: 'rename' | 'delete'; view: SavedView }
