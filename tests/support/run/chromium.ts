/**
 * The browser of the journeys: an installed one, else Debian's. Debian's headless shell does a fifth less work for the
 * same pages than the full browser in headless mode (login-steps and shell: 26 instead of 33 s of CPU time), so it is
 * preferred.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const places = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]

export const findChromium = (): string | null => places.find((path) => existsSync(path)) ?? null

/** A test machine has no internet access, so the browser does not try. */
export const chromiumArgs = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--font-render-hinting=none',
  // Pages are open for seconds: V8's optimizing compilers cost more than they save (a fifth of the browser's total
  // work).
  '--js-flags=--no-opt,--no-maglev',
]

/** The arguments for measuring what a user would wait for, with the optimizing compilers on. */
export const swiftArgs = chromiumArgs.filter((one) => !one.startsWith('--js-flags'))

/** Installs Chromium and a Chinese font from the system's packages if they are missing. */
export function ensureChromium(): void {
  const run = (...args: string[]) =>
    spawnSync(args[0] ?? '', args.slice(1), { stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } })
      .status === 0
  const hasFont = (): boolean =>
    !existsSync('/usr/bin/apt-get') || existsSync('/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc')
  if (findChromium() && hasFont()) return
  if (existsSync('/usr/bin/apt-get')) {
    const sudo = process.getuid?.() === 0 ? [] : ['sudo', '-n']
    process.stdout.write('installing Chromium and a Chinese font for the browser tests …\n')
    run(...sudo, 'apt-get', 'update', '-qq')
    const install = (...names: string[]): boolean =>
      run(...sudo, 'apt-get', 'install', '-y', '-qq', '--no-install-recommends', 'fonts-noto-cjk', ...names)
    // Older distributions only have the full browser.
    if (!install('chromium-headless-shell')) install('chromium')
  }
  if (!findChromium())
    process.stderr.write('No Chromium or Chrome found: the browser tests will fail. Install one and run again.\n')
}
