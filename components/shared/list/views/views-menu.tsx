'use client'
import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { useReasons } from '@/components/shared/layout/rights'
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '@/components/ui/menu'
import { toast } from '@/components/ui/toast'
import type { SavedView } from '@/lib/lists/saved'
import type { SavedViewsProps, ViewTask } from './view-types'

type ViewsMenuProps = SavedViewsProps & { trigger: ReactNode; isEdited: boolean; onTask: (task: ViewTask) => void }

export function ViewsMenu(props: ViewsMenuProps) {
  const { trigger, noun, actions, views, current, query, isEdited, onViews, onOpen, onTask } = props
  const own = views.filter(({ owner }) => owner === null)
  const shared = views.filter(({ owner }) => owner !== null)
  const maySave = useReasons().run
  const change = async (what: { query?: string; isDefault?: boolean; isShared?: boolean }, said: string) => {
    if (!current) return
    const result = await actions.update({ id: current.id, ...what }).catch(() => undefined)
    if (!result?.ok) return toast.warning(result?.error.message ?? 'The console did not respond. Try again.')
    onViews(result.data)
    toast.success(said)
  }
  return (
    <Menu trigger={trigger} label="Saved views" align="start" defaultOpen>
      <MenuItem onSelect={() => onOpen(undefined)}>
        <Tick isOn={!current && query === ''} />
        All {noun}
      </MenuItem>
      {own.map((view) => (
        <ViewItem key={view.id} view={view} current={current} onOpen={onOpen}>
          {[view.isDefault ? 'default' : '', view.isShared ? 'shared' : ''].filter(Boolean).join(', ')}
        </ViewItem>
      ))}
      {shared.length > 0 ? <MenuLabel>Shared by others</MenuLabel> : null}
      {shared.map((view) => (
        <ViewItem key={view.id} view={view} current={current} onOpen={onOpen}>
          {view.owner}
        </ViewItem>
      ))}
      <MenuSeparator />
      <MenuItem onSelect={() => onTask({ kind: 'save' })}>Save view…</MenuItem>
      {current && current.owner === null ? (
        <>
          <MenuLabel>{current.name}</MenuLabel>
          {isEdited ? (
            <MenuItem onSelect={() => void change({ query }, `“${current.name}” now has the current filters.`)}>
              Save changes
            </MenuItem>
          ) : null}
          <MenuItem
            onSelect={() =>
              void change(
                { isDefault: !current.isDefault },
                current.isDefault ? 'This list opens unfiltered.' : `This list opens with “${current.name}”.`,
              )
            }
          >
            {current.isDefault ? 'Remove as default' : 'Open by default'}
          </MenuItem>
          <MenuItem
            reason={maySave}
            onSelect={() =>
              void change(
                { isShared: !current.isShared },
                current.isShared ? 'Only you see this view now.' : 'All members of this workspace see this view now.',
              )
            }
          >
            {current.isShared ? 'Stop sharing' : 'Share with the workspace'}
          </MenuItem>
          <MenuItem onSelect={() => onTask({ kind: 'rename', view: current })}>Rename…</MenuItem>
          <MenuItem tone="danger" onSelect={() => onTask({ kind: 'delete', view: current })}>
            Delete…
          </MenuItem>
        </>
      ) : null}
    </Menu>
  )
}

type ItemProps = {
  view: SavedView
  current: SavedView | undefined
  onOpen: (view: SavedView) => void
  children: ReactNode
}

const ViewItem = ({ view, current, onOpen, children }: ItemProps) => (
  <MenuItem onSelect={() => onOpen(view)}>
    <Tick isOn={view.id === current?.id} />
    <span className="max-w-56 truncate" title={view.name}>
      {view.name}
    </span>
    {children ? <span className="ml-auto max-w-40 truncate pl-3 text-ink-3 text-xs">{children}</span> : null}
  </MenuItem>
)

const Tick = ({ isOn }: { isOn: boolean }) => <Check aria-hidden className={isOn ? '' : 'invisible'} />
