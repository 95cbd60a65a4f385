'use client'
import { Bookmark, ChevronDown } from 'lucide-react'
import dynamic from 'next/dynamic'
import { lazy, useState } from 'react'
import { Button } from '@/components/ui/button'
import { MenuOnDemand } from '@/components/ui/menu-on-demand'
import type { SavedViewsProps, ViewTask } from './view-types'

const load = () => import('./views-menu').then(({ ViewsMenu }) => ({ default: ViewsMenu }))
const ViewsMenu = lazy(load)
const ViewDialog = dynamic(() => import('./view-dialog').then((module) => module.ViewDialog), { ssr: false })

/** Saved filters: open, save, rename and delete them, and choose the default. */
export function SavedViews(props: SavedViewsProps) {
  const { current, query } = props
  const [task, setTask] = useState<ViewTask>()
  const isEdited = current !== undefined && current.query !== query
  const trigger = (
    <Button aria-label={current ? `Views: ${current.name}${isEdited ? ', edited' : ''}` : 'Views'}>
      <Bookmark aria-hidden />
      <span className="max-w-40 truncate">{current?.name ?? 'Views'}</span>
      {isEdited ? <span className="text-ink-3 text-xs">edited</span> : null}
      <ChevronDown aria-hidden />
    </Button>
  )
  return (
    <>
      <MenuOnDemand trigger={trigger} load={load}>
        <ViewsMenu {...props} trigger={trigger} isEdited={isEdited} onTask={setTask} />
      </MenuOnDemand>
      {task ? <ViewDialog {...props} task={task} onClose={() => setTask(undefined)} /> : null}
    </>
  )
}
