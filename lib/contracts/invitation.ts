import type { Role } from './wire/api'

/** An invitation as the list of its workspace shows it, without its secret. */
export type InvitationView = {
  id: string
  email: string
  role: Role
  createdBy: string
  expiresAt: string
}

/** What the person who opened an invitation's link is told. */
export type OpenInvitation = {
  email: string
  workspaceName: string
  role: Role
  /** `join`: signed in as the invited account. `sign in`: it exists. `create`: it does not. `other`: signed in as somebody else. */
  step: 'join' | 'sign in' | 'create' | 'other'
  hasSingleSignOn: boolean
}

/** How many days a link may be valid. */
export const INVITATION_DAYS = [1, 7, 30] as const
export type InvitationDays = (typeof INVITATION_DAYS)[number]
