// The order matters: most browsers also name those that they descend from.
const BROWSERS: [RegExp, string][] = [
  [/\bEdg(?:A|iOS)?\/(\d+)/, 'Edge'],
  [/\b(?:OPR|OPT)\/(\d+)/, 'Opera'],
  [/\b(?:Firefox|FxiOS)\/(\d+)/, 'Firefox'],
  [/\bHeadlessChrome\/(\d+)/, 'Headless Chrome'],
  [/\b(?:Chrome|CriOS)\/(\d+)/, 'Chrome'],
  [/\bVersion\/(\d+)[\d.]* (?:Mobile\/\S+ )?Safari\//, 'Safari'],
  [/^curl\/(\d+)/, 'curl'],
]
const SYSTEMS: [RegExp, string][] = [
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]

/** A short name for what a browser sends as `User-Agent`, such as "Firefox 140 on Linux". It may lie. */
export function browserName(userAgent: string | null): string {
  if (!userAgent) return 'unknown'
  const browser = BROWSERS.map(([form, name]) => [name, form.exec(userAgent)?.[1]] as const).find(
    ([, version]) => version,
  )
  const system = SYSTEMS.find(([form]) => form.test(userAgent))?.[1]
  const name = browser ? browser.join(' ') : userAgent.slice(0, 60)
  return browser && system ? `${name} on ${system}` : name
}
