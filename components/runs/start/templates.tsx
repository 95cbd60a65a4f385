'use client'
import { ChevronDown, Files } from 'lucide-react'
import dynamic from 'next/dynamic'
import { lazy, useState } from 'react'
import { Notice } from '@/components/shared/feedback/notice'
import { Button } from '@/components/ui/button'
import { MenuOnDemand } from '@/components/ui/menu-on-demand'
import { toast } from '@/components/ui/toast'
import { type TemplatesSaved, updateTemplate } from '@/lib/actions/templates'
import type { RunTemplate } from '@/lib/lists/saved'
import { consoleFetch, RelayError } from '@/lib/queries/relay-fetch'
import type { StartOptions } from './start-options'
import { readTemplate, templateBody, withTemplate } from './template-body'
import type { TemplateTask } from './template-dialog'

const load = () => import('./templates-menu').then(({ TemplatesMenu }) => ({ default: TemplatesMenu }))
const TemplatesMenu = lazy(load)
const TemplateDialog = dynamic(() => import('./template-dialog').then((module) => module.TemplateDialog), {
  ssr: false,
})

type Props = {
  workspace: string
  deploymentId: string
  initial: readonly RunTemplate[]
  options: StartOptions
  onChoose: (options: StartOptions) => void
}

/** Saved requests: load one into the form, or save, rename, overwrite and delete them. */
export function Templates({ workspace, deploymentId, initial, options, onChoose }: Props) {
  const [templates, setTemplates] = useState(initial)
  const [task, setTask] = useState<TemplateTask>()
  /** The loaded template and its body. */
  const [chosen, setChosen] = useState<{ id: string; body: string }>()
  const [removed, setRemoved] = useState<readonly string[]>([])
  const current = templates.find(({ id }) => id === chosen?.id)
  const body = templateBody(options)
  const isEdited = current !== undefined && chosen?.body !== body
  const saved = ({ id, templates, removed }: TemplatesSaved, isNew: boolean) => {
    setTemplates(templates)
    if (isNew) setChosen({ id, body })
    setRemoved(removed)
  }
  const open = async ({ id, name }: RunTemplate) => {
    try {
      const path = `/api/templates/${encodeURIComponent(workspace)}/${encodeURIComponent(id)}`
      const found = (await consoleFetch(path, {})) as { body: string } // made by our own server
      const template = readTemplate(found.body)
      if (!template) return toast.warning(`“${name}” cannot be read. Overwrite or delete it.`)
      const next = withTemplate(options, template)
      setChosen({ id, body: templateBody(next) })
      setRemoved([])
      onChoose(next)
    } catch (error) {
      toast.warning(error instanceof RelayError ? error.view.message : 'The console did not respond. Try again.')
    }
  }
  const overwrite = async () => {
    if (!current) return
    const result = await updateTemplate({ workspace, deploymentId, id: current.id, body }).catch(() => undefined)
    if (!result?.ok) return toast.warning(result?.error.message ?? 'The console did not respond. Try again.')
    saved(result.data, true)
    toast.success(`“${current.name}” saved`)
  }
  const trigger = (
    <Button aria-label={current ? `Templates: ${current.name}${isEdited ? ', edited' : ''}` : 'Templates'}>
      <Files aria-hidden />
      <span className="max-w-40 truncate">{current?.name ?? 'Templates'}</span>
      {isEdited ? <span className="text-ink-3 text-xs">edited</span> : null}
      <ChevronDown aria-hidden />
    </Button>
  )
  return (
    <div className="flex flex-col items-start gap-2">
      <MenuOnDemand trigger={trigger} load={load}>
        <TemplatesMenu
          trigger={trigger}
          templates={templates}
          current={current}
          isEdited={isEdited}
          onOpen={(template) => void open(template)}
          onOverwrite={() => void overwrite()}
          onTask={setTask}
        />
      </MenuOnDemand>
      {removed.length > 0 ? (
        <Notice onDismiss={() => setRemoved([])}>
          Secrets are not kept in templates: the {removed.length === 1 ? 'value' : 'values'} of {removed.join(', ')}{' '}
          {removed.length === 1 ? 'was' : 'were'} left out.
        </Notice>
      ) : null}
      {task ? (
        <TemplateDialog
          task={task}
          place={{ workspace, deploymentId }}
          body={body}
          onSaved={saved}
          onDeleted={setTemplates}
          onClose={() => setTask(undefined)}
        />
      ) : null}
    </div>
  )
}
