/**
 * Which files travel together. A group is named by folders, packages and files as they stand below the repository, and a name that nothing has any more
 * fails the build: who moves or renames a file learns here where it went.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'

type GroupMembers = {
  /** Whole folders. */
  readonly folders?: readonly string[]
  /** Files; of a page only what the router must know of it. */
  readonly files?: readonly string[]
  /** Of pages what is shown. */
  readonly components?: readonly string[]
  /** Packages, and what the tools of the build bring along. */
  readonly packages?: RegExp
  /** Among our own, where a folder says too little. */
  readonly matches?: (path: string) => boolean
}
export type FileGroup = { readonly name: string; readonly test: (id: string) => boolean }

const prefixPaths = (folder: string, names: readonly string[]): string[] => names.map((name) => `${folder}/${name}`)

/** In this order: a file is in the first group that names it. Nothing else is bundled by hand. */
const groupMembers: Readonly<Record<string, GroupMembers>> = {
  // What stands between opening a page and seeing it. On the sign-in page one can type when this and its form have come.
  view: {
    packages: /node_modules\/(react|react-dom|scheduler)\/|@oxc-project|rolldown\/runtime|vite\/preload-helper/,
    files: ['server/contract/shared/phone.ts', 'src/browser.ts', 'src/ui/form/focus.ts'],
  },
  // What asks the server: of every page, and of the sign-in page once it is quiet. One file instead of a dozen small ones.
  core: {
    files: [
      ...prefixPaths('server/contract', ['call.ts', 'errors.ts', 'access.ts', 'auth/sign-in.ts', 'shared/enums.ts']),
      'src/api-core.ts',
      'src/parts/preload/first-calls.ts',
    ],
  },
  // The sign-in form, which the desk's page and /m/login share.
  'sign-in': {
    files: [
      ...prefixPaths('src/parts/sign-in', ['sign-in.ts', 'panel.tsx', 'form.tsx', 'field.tsx']),
      'src/parts/account/messages.ts',
      'src/parts/entry/entry-params.ts',
      'src/ui/form/sms-code.tsx',
    ],
  },
  // A slip, the frame around it and what both ask: one file.
  pocket: {
    folders: ['src/parts/slip/view'],
    files: [
      ...prefixPaths('src/parts/employee', [
        'queries.ts',
        'phone-owner-step.tsx',
        'unlock-step.tsx',
        'page-top-bar.tsx',
        'lazy-with-retry.tsx',
        'm.module.css',
      ]),
      'src/parts/preload/placeholders.tsx',
      'src/shell/mobile/layout.tsx',
      'server/contract/payslips/employee.ts',
    ],
    components: prefixPaths('src/pages/m', ['route.tsx', 'slip.$id.tsx']),
  },
  // What every page of the routed app has: router, query cache, and of each page of /m the part that the router must know; and small pieces that
  // nearly every page shows, because a file costs a turn on a slow line.
  routing: {
    packages: /node_modules\/(@tanstack\/(?!.*[qQ]ueries)|use-sync-external-store\/)/,
    folders: ['src/pages/m'],
    files: [
      ...prefixPaths('src', ['api.ts', 'session.ts', 'theme.ts', 'routed/start.tsx', 'routed/elsewhere.ts', 'pages/__root.tsx']),
      ...prefixPaths('src/ui', ['search-params.ts', 'icon.tsx', 'media.ts', 'ui.css', 'overlay/toast.ts']),
      ...prefixPaths('src/ui/state', ['empty-state.tsx', 'error-state.tsx', 'skeleton.tsx']),
      ...prefixPaths('src/ui/value', ['money.tsx', 'dates.ts', 'status-dot.tsx']),
      ...prefixPaths('src/shell', [
        'find-route.ts',
        'polyfills.ts',
        'window-events.ts',
        'page-error.tsx',
        'report/report-error.ts',
      ]),
      ...prefixPaths('server/contract/shared', ['money.ts', 'statuses.ts']),
      'src/parts/slip/labels.ts',
    ],
  },
  // Of all other pages what the router must know.
  desk: {
    matches: (path) =>
      (/^src\/pages\/.*\.tsx?$/.test(path) && !/^src\/pages\/(.*\/)?-/.test(path)) || /^src\/parts\/.*\/search\.tsx?$/.test(path),
  },
}

const plainCssPattern = /\.plain\.css$/
/** The groups of the bundler, for a repository that lies at `root`. */
export function createFileGroups(root: string): FileGroup[] {
  return Object.entries(groupMembers).map(([name, { folders = [], files = [], components = [], packages, matches }]) => {
    const missingPaths = [...folders, ...files, ...components].filter((path) => !existsSync(join(root, path)))
    if (missingPaths.length > 0)
      throw new Error(`build/file-groups.ts: the group "${name}" names what is not there: ${missingPaths.join(', ')}`)
    const [fileSet, componentSet] = [new Set(files), new Set(components)]
    return {
      name,
      test: (id) => {
        if (packages?.test(id)) return true
        if (!id.startsWith(`${root}/`)) return false
        const [path = '', query = ''] = id.slice(root.length + 1).split('?')
        if (componentSet.has(path) && query.startsWith('tsr-split=')) return true
        if (query !== '' && query !== 'tsr-shared=1') return false
        const file = path.replace(plainCssPattern, '.module.css')
        return fileSet.has(file) || folders.some((folder) => file.startsWith(`${folder}/`)) || matches?.(file) === true
      },
    }
  })
}
