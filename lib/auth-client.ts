import { BASE_PATH, withBasePath } from './base-path'

/** The browser's part of next-auth, loaded on first use, so that pages appear sooner. */
export function loadAuthClient() {
  // Outside of a provider of its own, it takes the path of its routes from nothing else.
  // biome-ignore lint/style/noProcessEnv: the browser's stand-in for the environment, which next-auth reads when it is loaded
  if (BASE_PATH) process.env.NEXTAUTH_URL = location.origin + withBasePath('/api/auth')
  return import('next-auth/react')
}
