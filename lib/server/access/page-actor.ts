import 'server-only'
import { headers } from 'next/headers'
import { notFound, redirect } from 'next/navigation'
import { cache } from 'react'
import { AppError, STORE_AWAY } from '@/lib/errors'
import { routes } from '@/lib/routes'
import { storeOutage } from '../process/db'
import { type Actor, sessionActor } from './actor'
import { listWorkspaces, type OwnWorkspace } from './workspaces'

/**
 * The user of this page, cached per request; without a valid session it redirects to sign-in and back,
 * and with an initial password to the page that changes it. Every page must
 * call it, because layouts do not render again on navigation.
 */
export const pageActor = cache(async (): Promise<Actor> => {
  try {
    return await sessionActor()
  } catch (error) {
    const code = error instanceof AppError ? error.code : undefined
    if (code !== 'forbidden' && code !== 'unauthenticated') throw named(error)
    const given = await headers()
    if (code === 'forbidden') redirect(routes.newPassword(given.get('x-path') ?? undefined))
    // Navigation is a fetch. A first visit is a document request, where no session can have ended.
    const isInside = given.get('sec-fetch-dest') === 'empty'
    redirect(routes.signIn(given.get('x-path') ?? undefined, { isEnded: isInside }))
  }
})

/** With the digest by which a page can name the reason, where it is our database. */
const named = (error: unknown) => (storeOutage(error) ? Object.assign(error as Error, { digest: STORE_AWAY }) : error)

export type PageWorkspace = OwnWorkspace

/** The page's workspace and all workspaces of its user. Calls `notFound()` if it is missing or the user has no role. */
export const pageWorkspace = cache(
  async (slug: string): Promise<{ actor: Actor; current: PageWorkspace; all: PageWorkspace[] }> => {
    const actor = await pageActor()
    const all = await listWorkspaces(actor).catch((error: unknown) => {
      throw named(error)
    })
    const current = all.find((one) => one.slug === slug)
    if (!current) notFound()
    return { actor, current, all }
  },
)
