'use client'
import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '@/components/ui/menu'
import type { RunTemplate } from '@/lib/lists/saved'
import type { TemplateTask } from './template-dialog'

type Props = {
  trigger: ReactNode
  templates: readonly RunTemplate[]
  current: RunTemplate | undefined
  isEdited: boolean
  onOpen: (template: RunTemplate) => void
  onOverwrite: () => void
  onTask: (task: TemplateTask) => void
}

export function TemplatesMenu({ trigger, templates, current, isEdited, onOpen, onOverwrite, onTask }: Props) {
  return (
    <Menu trigger={trigger} label="Templates" align="start" defaultOpen>
      {templates.length === 0 ? <MenuLabel>No templates yet</MenuLabel> : null}
      {templates.map((template) => (
        <MenuItem key={template.id} onSelect={() => onOpen(template)}>
          <Check aria-hidden className={template.id === current?.id ? '' : 'invisible'} />
          <span className="max-w-56 truncate" title={template.name}>
            {template.name}
          </span>
        </MenuItem>
      ))}
      <MenuSeparator />
      <MenuItem onSelect={() => onTask({ kind: 'save' })}>Save as template…</MenuItem>
      {current ? (
        <>
          <MenuLabel>{current.name}</MenuLabel>
          {isEdited ? <MenuItem onSelect={onOverwrite}>Save changes</MenuItem> : null}
          <MenuItem onSelect={() => onTask({ kind: 'rename', template: current })}>Rename…</MenuItem>
          <MenuItem tone="danger" onSelect={() => onTask({ kind: 'delete', template: current })}>
            Delete…
          </MenuItem>
        </>
      ) : null}
    </Menu>
  )
}
