import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { HELP, readCommandLine, userDataFolder } from './command-line.mjs'

describe('the command line', () => {
  test('without arguments sets nothing and opens the browser', () => {
    expect(readCommandLine([])).toEqual({ variables: {}, opensBrowser: true })
  })

  test('names variables by its options', () => {
    const args = ['localhost:8123', '--api-key', 'a key', 'https://agents.example.com/one', '--port=3001', '--no-open']
    expect(readCommandLine([...args, '--host', '::1', '--data', 'my data'])).toEqual({
      variables: {
        AGENT_SERVER_URL: 'http://localhost:8123 https://agents.example.com/one',
        AGENT_SERVER_API_KEY: 'a key',
        PORT: '3001',
        HOST: '::1',
        PILOTHOUSE_DATA: path.resolve('my data'),
      },
      opensBrowser: false,
    })
  })

  test('takes several addresses, with spaces or commas between', () => {
    const { variables } = readCommandLine(['localhost:1,localhost:2', 'localhost:3'])
    expect(variables.AGENT_SERVER_URL).toBe('http://localhost:1 http://localhost:2 http://localhost:3')
  })

  test.each([
    [['--version'], 'version'],
    [['--help', '--version'], 'help'],
    [['-h'], 'help'],
  ])('%j shows the %s', (args, show) => {
    expect(readCommandLine(args).show).toBe(show)
  })

  test.each([
    [['--prot', '3001'], /Unknown option '--prot'/],
    [['--port'], /'--port <value>' argument missing/],
    [['--port', '70000'], /--port 70000: give a number from 1 to 65535/],
    [['--port', '0'], /--port 0: give a number/],
    [['--api-key', ' '], /--api-key needs a value/],
    [['--no-open=yes'], /does not take an argument/],
    [['ftp://localhost:8123'], /"ftp:\/\/localhost:8123" is not an address such as http/],
    [['http://'], /is not an address/],
    [[''], /is not an address/],
    [['deploy me'], /is not an address/],
    [['http://localhost:8123/?key=canary'], /leave out user name, password, query and fragment/],
  ])('%j is refused', (args, message) => {
    expect(() => readCommandLine(args)).toThrow(message)
    expect(() => readCommandLine(args)).not.toThrow('canary')
  })

  test('its help names every option', () => {
    for (const name of ['api-key', 'port', 'host', 'data', 'no-open', 'version', 'help'])
      expect(HELP).toContain(`  --${name} `)
  })
})

test.each([
  ['linux', {}, '/home/a/.local/share/pilothouse'],
  ['linux', { XDG_DATA_HOME: '/data' }, '/data/pilothouse'],
  ['linux', { XDG_DATA_HOME: 'data' }, '/home/a/.local/share/pilothouse'],
  ['darwin', { XDG_DATA_HOME: '/data' }, '/home/a/Library/Application Support/Pilothouse'],
  ['win32', { LOCALAPPDATA: '/local' }, '/local/Pilothouse'],
  ['win32', {}, '/home/a/AppData/Local/Pilothouse'],
])('the data folder on %s with %j is %s', (platform, env, folder) => {
  expect(userDataFolder({ platform, env, home: '/home/a' })).toBe(folder)
})
