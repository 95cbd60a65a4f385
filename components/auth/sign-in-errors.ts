import { entryOf } from '@/lib/json/guards'
/** The message for a sign-in error code, either from next-auth or from `lib/server/access/auth.ts`. */
export function signInErrorText(code: string): string {
  const [name, seconds] = code.split(':')
  if (name === 'RateLimited') {
    const minutes = Math.max(1, Math.ceil(Number(seconds) / 60) || 1)
    return `Too many attempts. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`
  }
  return entryOf(SENTENCES, name ?? '') ?? 'Sign-in failed. Try again.'
}

const SENTENCES: Record<string, string> = {
  CredentialsSignin: 'Wrong email or password.',
  Unavailable: 'The console’s database is unavailable. Try again in a moment.',
  AccessDenied: 'This account has no access to the console. Ask an administrator for access.',
  OAuthAccountNotLinked:
    'An account with this email already exists, and the identity provider has not verified the email. Sign in with your password or ask an administrator.',
  OAuthSignin: 'The identity provider is not reachable. Try again in a moment.',
  OAuthCallback: 'The identity provider rejected the sign-in, or it timed out. Try again.',
  Callback: 'The identity provider rejected the sign-in, or it timed out. Try again.',
  ProviderSignOut:
    'You are signed out of the console, but maybe not of the identity provider: it did not respond, or it has no sign-out.',
  UsedLink: 'This link has been used, or a newer one was printed. Each link works once.',
  PasskeyNeeded: 'This account needs its passkey too. Sign in again and confirm with your device.',
  PasskeyRefused: 'This passkey is not known here, or it took too long.',
  SessionRequired: 'Sign in to continue.',
}
