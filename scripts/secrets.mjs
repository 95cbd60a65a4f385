// Secrets are passed to a program over an inherited pipe, because others can read its environment and command line.

/** The pipe that `handOver` writes to, after the standard streams and the message channel. */
export const SECRETS_FD = 4

/**
 * Writes secret variables to a program that was started with a pipe at `SECRETS_FD`, once all of them are known. Until then
 * the program loads its code.
 * @param {import('node:child_process').ChildProcess} child
 * @param {Record<string, string | undefined | Promise<string | undefined>>} variables
 */
export async function handOver(child, variables) {
  const pipe = /** @type {import('node:stream').Writable} */ (child.stdio[SECRETS_FD])
  // A program that ended before it read them is reported by its exit.
  pipe.on('error', () => {})
  const known = await Promise.all(Object.entries(variables).map(async ([name, value]) => [name, await value]))
  pipe.end(JSON.stringify(Object.fromEntries(known)))
}

/** Secrets in the launcher's environment for the console; the platform gets those that it needs by name. */
export const CONSOLE_SECRETS = [
  'DATABASE_DIRECT_URL',
  'CONTROL_PLANE_API_KEY',
  'CONTROL_PLANE_TOKEN',
  'AGENT_SERVER_API_KEY',
  'TRACES_API_KEY',
  'OIDC_CLIENT_SECRET',
  'SMTP_URL',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
  'METRICS_TOKEN',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'PILOTHOUSE_SEALING_KEY',
  'PILOTHOUSE_ADMIN_PASSWORD',
]
