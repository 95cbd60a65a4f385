import type { Role } from './wire/api'
import type { Rights } from './wire/rights'

/** An invitation as the list of its workspace shows it, without its secret. */
export type InvitationView = Rights & {
  id: string
  email: string
  createdBy: string
  expiresAt: string
}

/** What the person who opened an invitation's link is told. */
export type OpenInvitation = {
  email: string
  workspaceName: string
  /** The highest role that it gives, and whether only for some deployments, which it does not name. */
  role: Role
  isLimited: boolean
  /** `join`: signed in as the invited account. `sign in`: it exists. `create`: it does not. `other`: signed in as somebody else. */
  step: 'join' | 'sign in' | 'create' | 'other'
  hasSingleSignOn: boolean
}

/** How many days a link may be valid. */
export const INVITATION_DAYS = [1, 7, 30] as const
export type InvitationDays = (typeof INVITATION_DAYS)[number]
