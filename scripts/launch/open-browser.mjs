/** Opens the user's browser if there is one to see. A failure is no error: the address has been printed. */
export async function openInBrowser(url) {
  const hasScreen = process.platform !== 'linux' || ['DISPLAY', 'WAYLAND_DISPLAY', 'WSL_DISTRO_NAME'].some(isSet)
  if (!hasScreen || isSet('CI')) return
  try {
    const { default: open } = await import('open')
    const opener = await open(url)
    opener.on('error', () => {})
  } catch {
    // no program opens addresses here
  }
}

const isSet = (name) => Boolean(process.env[name])
