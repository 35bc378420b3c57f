/**
 * Which files travel together. A group is named by folders, packages and files as they stand below the repository, and a name that nothing has any more
 * fails the build: who moves or renames a file learns here where it went.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'

type Members = {
  /** Whole folders. */
  readonly folders?: readonly string[]
  /** Files; of a page only what the router must know of it. */
  readonly files?: readonly string[]
  /** Of pages what is shown. */
  readonly shown?: readonly string[]
  /** Packages, and what the tools of the build bring along. */
  readonly theirs?: RegExp
  /** Among our own, where a folder says too little. */
  readonly also?: (path: string) => boolean
}
export type FileGroup = { readonly name: string; readonly test: (id: string) => boolean }

const within = (folder: string, names: readonly string[]): string[] => names.map((name) => `${folder}/${name}`)

/** In this order: a file is in the first group that names it. Nothing else is bundled by hand. */
const members: Readonly<Record<string, Members>> = {
  // What stands between opening a page and seeing it. On the sign-in page one can type when this and its form have come.
  view: {
    theirs: /node_modules\/(react|react-dom|scheduler)\/|@oxc-project|rolldown\/runtime|vite\/preload-helper/,
    files: ['server/contract/words/phone.ts', 'src/browser.ts', 'src/ui/form/hand.ts'],
  },
  // What asks the server: of every page, and of the sign-in page once it is quiet. One file instead of a dozen small ones.
  core: {
    files: [
      ...within('server/contract', ['call.ts', 'refusals.ts', 'who.ts', 'account/account.ts', 'words/vocabulary.ts']),
      'src/api-core.ts',
      'src/parts/ahead/asked.ts',
    ],
  },
  // The sign-in form, which the desk's page and /m/login share.
  'sign-in': {
    files: [
      ...within('src/parts/sign-in', ['sign-in.ts', 'panel.tsx', 'form.tsx', 'field.tsx']),
      'src/parts/account/messages.ts',
      'src/parts/entry/page-asked.ts',
      'src/ui/form/sms-button.tsx',
    ],
  },
  // A slip, the frame around it and what both ask: one file.
  pocket: {
    folders: ['src/parts/slip/view'],
    files: [
      ...within('src/parts/employee', [
        'queries.ts',
        'holder-step.tsx',
        'unlock-step.tsx',
        'top.tsx',
        'later.tsx',
        'm.module.css',
      ]),
      'src/parts/ahead/waiting.tsx',
      'src/shell/pocket/pocket.tsx',
      'server/contract/own/employee.ts',
    ],
    shown: within('src/pages/m', ['route.tsx', 'slip.$id.tsx']),
  },
  // What every page of the routed app has: router, query cache, and of each page of /m the part that the router must know; and small pieces that
  // nearly every page shows, because a file costs a turn on a slow line.
  routing: {
    theirs: /node_modules\/(@tanstack\/(?!.*[qQ]ueries)|use-sync-external-store\/)/,
    folders: ['src/pages/m'],
    files: [
      ...within('src', ['api.ts', 'session.ts', 'theme.ts', 'routed/start.tsx', 'routed/elsewhere.ts', 'pages/__root.tsx']),
      ...within('src/ui', ['search.ts', 'icon.tsx', 'media.ts', 'ui.css', 'over/toast.ts']),
      ...within('src/ui/state', ['empty.tsx', 'error-state.tsx', 'skeleton.tsx']),
      ...within('src/ui/value', ['money.tsx', 'dates.ts', 'status-dot.tsx']),
      ...within('src/shell', ['routes.ts', 'older.ts', 'watch.ts', 'broken.tsx', 'report/number.ts']),
      ...within('server/contract/words', ['money.ts', 'states.ts']),
      'src/parts/slip/words.ts',
    ],
  },
  // Of all other pages what the router must know.
  desk: {
    also: (path) =>
      (/^src\/pages\/.*\.tsx?$/.test(path) && !/^src\/pages\/(.*\/)?-/.test(path)) || /^src\/parts\/.*\/search\.tsx?$/.test(path),
  },
}

const plain = /\.plain\.css$/
/** The groups of the bundler, for a repository that lies at `root`. */
export function groupsOf(root: string): FileGroup[] {
  return Object.entries(members).map(([name, { folders = [], files = [], shown = [], theirs, also }]) => {
    const gone = [...folders, ...files, ...shown].filter((path) => !existsSync(join(root, path)))
    if (gone.length > 0) throw new Error(`build/groups.ts: the group "${name}" names what is not there: ${gone.join(', ')}`)
    const [own, pages] = [new Set(files), new Set(shown)]
    return {
      name,
      test: (id) => {
        if (theirs?.test(id)) return true
        if (!id.startsWith(`${root}/`)) return false
        const [path = '', query = ''] = id.slice(root.length + 1).split('?')
        if (pages.has(path) && query.startsWith('tsr-split=')) return true
        if (query !== '' && query !== 'tsr-shared=1') return false
        const file = path.replace(plain, '.module.css')
        return own.has(file) || folders.some((folder) => file.startsWith(`${folder}/`)) || also?.(file) === true
      },
    }
  })
}
