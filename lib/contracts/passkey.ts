/** A passkey as its list shows it. */
export type PasskeyView = {
  id: string
  name: string
  createdAt: string
  lastUsedAt: string | null
}

/** How the user may sign in. */
export type PasskeySettings = {
  passkeys: PasskeyView[]
  /** Adding and removing passkeys then asks for it. */
  hasPassword: boolean
  /** A password alone does not sign in. */
  isRequired: boolean
  /** The only host name at which passkeys of this console work. */
  host: string
}
