'use client'
import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '@/components/ui/menu'
import { toast } from '@/components/ui/toast'
import type { SavedViewsProps, ViewTask } from './view-types'

type ViewsMenuProps = SavedViewsProps & { trigger: ReactNode; isEdited: boolean; onTask: (task: ViewTask) => void }

export function ViewsMenu(props: ViewsMenuProps) {
  const { trigger, noun, actions, views, current, query, isEdited, onViews, onOpen, onTask } = props
  const change = async (what: { query?: string; isDefault?: boolean }, said: string) => {
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
      {views.map((view) => (
        <MenuItem key={view.id} onSelect={() => onOpen(view)}>
          <Tick isOn={view.id === current?.id} />
          <span className="max-w-56 truncate" title={view.name}>
            {view.name}
          </span>
          {view.isDefault ? <span className="ml-auto pl-3 text-ink-3 text-xs">default</span> : null}
        </MenuItem>
      ))}
      <MenuSeparator />
      <MenuItem onSelect={() => onTask({ kind: 'save' })}>Save view…</MenuItem>
      {current ? (
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
          <MenuItem onSelect={() => onTask({ kind: 'rename', view: current })}>Rename…</MenuItem>
          <MenuItem tone="danger" onSelect={() => onTask({ kind: 'delete', view: current })}>
            Delete…
          </MenuItem>
        </>
      ) : null}
    </Menu>
  )
}

const Tick = ({ isOn }: { isOn: boolean }) => <Check aria-hidden className={isOn ? '' : 'invisible'} />
