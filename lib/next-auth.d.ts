import 'next-auth/jwt'

declare module 'next-auth/jwt' {
  /** What `lib/server/access/session.ts` puts into a session's token. */
  interface JWT {
    session?: string
    version?: number
    signedInAt?: number
  }
}
