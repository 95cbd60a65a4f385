import 'server-only'
import { headers } from 'next/headers'
import { notFound, redirect } from 'next/navigation'
import { cache } from 'react'
import type { Role } from '@/lib/contracts/wire/api'
import { AppError } from '@/lib/errors'
import { routes } from '@/lib/routes'
import { type Actor, sessionActor } from './actor'
import { listWorkspaces, type WorkspaceView } from './workspaces'

/**
 * Who asks for this page. Nobody, or a session that is over, is sent to sign in and comes back. Pages ask themselves:
 * going from page to page the layout is not rendered again. Once per request.
 */
export const pageActor = cache(async (): Promise<Actor> => {
  try {
    return await sessionActor()
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'unauthenticated') throw error
    const given = await headers()
    // Going from page to page is a fetch; a first visit is a document, and has no session that could have ended.
    const isInside = given.get('sec-fetch-dest') === 'empty'
    redirect(routes.signIn(given.get('x-path') ?? undefined, { isEnded: isInside }))
  }
})

export type PageWorkspace = WorkspaceView & { role: Role }

/** The page's workspace and all the others of its reader. One that does not exist and one that they may not know of look alike. */
export const pageWorkspace = cache(
  async (slug: string): Promise<{ actor: Actor; current: PageWorkspace; all: PageWorkspace[] }> => {
    const actor = await pageActor()
    const all = await listWorkspaces(actor)
    const current = all.find((one) => one.slug === slug)
    if (!current) notFound()
    return { actor, current, all }
  },
)
