/** The sentence for an error code of the sign-in: next-auth's own, and those that lib/server/access/auth.ts throws. */
export function signInErrorText(code: string): string {
  const [name, seconds] = code.split(':')
  if (name === 'RateLimited') {
    const minutes = Math.max(1, Math.ceil(Number(seconds) / 60) || 1)
    return `Too many attempts. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`
  }
  return SENTENCES[name ?? ''] ?? 'Signing in did not work. Try again.'
}

const SENTENCES: Record<string, string> = {
  CredentialsSignin: 'Email or password is not right.',
  Unavailable: "The console's database does not answer. Try again in a moment.",
  AccessDenied: 'This account may not use the console. Ask an administrator for access.',
  OAuthAccountNotLinked:
    'There is an account with this email that the identity provider has not confirmed. Sign in with the password, or ask an administrator.',
  OAuthSignin: 'The identity provider does not answer. Try again in a moment.',
  OAuthCallback: 'The identity provider refused the sign-in, or it took too long. Try again.',
  Callback: 'The identity provider refused the sign-in, or it took too long. Try again.',
  SessionRequired: 'Sign in to go on.',
}
