/**
 * Defines which files are bundled together. A group lists folders, packages and files by their path in the repository.
 * A path that no longer exists fails the build, so that moving or renaming a file cannot silently change the groups.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'

type GroupMembers = {
  /** Entire folders. */
  readonly folders?: readonly string[]
  /** Files; of a page file only the part that the router needs. */
  readonly files?: readonly string[]
  /** Page files whose component part belongs to the group. */
  readonly components?: readonly string[]
  /** Packages and runtime helpers added by the build tools. */
  readonly packages?: RegExp
  /** Matches own source files where a folder is not specific enough. */
  readonly matches?: (path: string) => boolean
}
export type FileGroup = { readonly name: string; readonly test: (id: string) => boolean }

const prefixPaths = (folder: string, names: readonly string[]): string[] => names.map((name) => `${folder}/${name}`)

/** The order matters: a file belongs to the first group that matches it. No other file is grouped manually. */
const groupMembers: Readonly<Record<string, GroupMembers>> = {
  // Required before anything is displayed. The sign-in page accepts input as soon as this group and its form are
  // loaded.
  view: {
    packages: /node_modules\/(react|react-dom|scheduler)\/|@oxc-project|rolldown\/runtime|vite\/preload-helper/,
    files: [
      'server/contract/shared/phone.ts',
      'server/contract/shared/providers.ts',
      'src/browser.ts',
      ...prefixPaths('src/components/form', ['focus.ts', 'field.ts', 'light-form.tsx', 'use-submit.ts']),
    ],
    // Which provider's app shows the page, and its name.
    matches: (path) => /^platform\/chat\/(\w+\/descriptor|providers)\.ts$/.test(path),
  },
  // API client code for every page; the sign-in page loads it when idle. One file instead of a dozen small ones.
  core: {
    files: [
      ...prefixPaths('server/contract', ['call.ts', 'errors.ts', 'access.ts', 'auth/sign-in.ts']),
      'src/api-core.ts',
      'src/app/preload/first-calls.ts',
    ],
  },
  // Values that no sign-in needs. They are not among the code of every page, because schemas of calls import them too.
  values: { files: prefixPaths('server/contract', ['shared/enums.ts', 'sheets/column-roles.ts']) },
  // The sign-in form, shared by the desktop sign-in page and /m/login.
  'sign-in': {
    files: [
      ...prefixPaths('src/features/auth/sign-in', ['sign-in.ts', 'panel.tsx', 'form.tsx', 'owner-fields.tsx']),
      ...prefixPaths('src/features/auth/account', ['messages.ts', 'account-fields.ts']),
      'src/features/auth/entry/entry-params.ts',
      ...prefixPaths('src/components/form', ['use-light-form.ts', 'sms-code.tsx']),
    ],
  },
  // A payslip, the layout around it and the queries that both use, in one file.
  pocket: {
    folders: ['src/features/payslips/view'],
    files: [
      ...prefixPaths('src/features/payslips/employee', [
        'queries.ts',
        'phone-owner-step.tsx',
        'unlock-step.tsx',
        'page-top-bar.tsx',
        'm.module.css',
      ]),
      'src/app/preload/placeholders.tsx',
      'src/app/mobile/layout.tsx',
      'server/contract/payslips/employee.ts',
    ],
    components: prefixPaths('src/pages/m', ['route.tsx', 'slip.$id.tsx']),
  },
  // Code that every page of the routed app uses: the router, the query cache and the routing part of each page of /m;
  // and small components that nearly every page shows, because each file costs a round trip on a slow connection.
  routing: {
    packages: /node_modules\/(@tanstack\/(?!.*[qQ]ueries)|react-error-boundary\/|use-sync-external-store\/)/,
    folders: ['src/pages/m'],
    files: [
      ...prefixPaths('src', ['api.ts', 'session.ts', 'theme.ts', 'routed/start.tsx', 'routed/elsewhere.ts', 'pages/__root.tsx']),
      ...prefixPaths('src/components', [
        'search-params.ts',
        'icon.tsx',
        'lazy.tsx',
        'media.ts',
        'ui.css',
        'overlay/notice.ts',
        'overlay/toast.ts',
      ]),
      ...prefixPaths('src/components/state', [
        'caught-error.tsx',
        'empty-state.tsx',
        'error-number.ts',
        'error-state.tsx',
        'load-error.ts',
        'skeleton.tsx',
      ]),
      ...prefixPaths('src/components/value', ['money.tsx', 'dates.ts', 'status-dot.tsx']),
      ...prefixPaths('src/app', [
        'find-route.ts',
        'keep-page.ts',
        'notice-bar.tsx',
        'polyfills.ts',
        'preload/next-pages.ts',
        'window-events.ts',
        'page-error.tsx',
        'report/report-error.ts',
      ]),
      ...prefixPaths('server/contract/shared', ['money.ts', 'statuses.ts']),
      'src/features/payslips/labels.ts',
    ],
  },
  // The routing part of all other pages.
  desk: {
    matches: (path) =>
      (/^src\/pages\/.*\.tsx?$/.test(path) && !/^src\/pages\/(.*\/)?-/.test(path)) || /^src\/parts\/.*\/search\.tsx?$/.test(path),
  },
}

const plainCssPattern = /\.plain\.css$/
/** Creates the chunk groups for the bundler, for a repository at `root`. */
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
