/** A public link as its list shows it, without its secret. */
export type PublicLink = {
  id: string
  recording: string
  deployment: string
  createdBy: string
  createdAt: string
  expiresAt: string
  /** How often it was opened, and when last. */
  opens: number
  lastOpenedAt: string | null
}

export type PublicLinks = {
  /** The workspace has public links. If not, those that exist do not open. */
  isAllowed: boolean
  /** Neither expired nor revoked, newest first. */
  links: PublicLink[]
}

/** How many days a public link may be valid. */
export const LINK_DAYS = [1, 7, 30] as const
export type LinkDays = (typeof LINK_DAYS)[number]
