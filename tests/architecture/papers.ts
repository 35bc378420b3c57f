/** Compares what the documentation says about the source code with the source code. */

/** Returns the folders and files in the documented map that do not exist, and the domains that the map lacks. */
export function wrongMap(page: string, paths: readonly string[]): string[] {
  const map = /## Map\s+```\n([\s\S]*?)```/.exec(page)?.[1] ?? ''
  const subjects = /## Subjects\n([\s\S]*?)(?=\n## |$)/.exec(page)?.[1] ?? ''
  const folders = new Set(
    paths.flatMap((path) =>
      path
        .split('/')
        .slice(0, -1)
        .map((_, at, all) => all.slice(0, at + 1).join('/')),
    ),
  )
  const broken: string[] = map === '' ? ['there is no map'] : []
  let room = ''
  for (const line of map.split('\n')) {
    room = /^(\w+)\//.exec(line)?.[1] ?? room
    for (const [, name = ''] of line.matchAll(/(?<![\w/])([\w/-]+)\/(?=[\s:]|$)/g))
      if (
        ![...folders].some(
          (folder) => folder === name || (`/${folder}`.endsWith(`/${name}`) && (folder.startsWith(`${room}/`) || room === '')),
        )
      )
        broken.push(`${room}: ${name}/`)
    for (const [, name = ''] of line.matchAll(/(?<![\w/])([\w-]+\.tsx?)\b/g))
      if (!paths.some((path) => path.startsWith(`${room}/`) && path.endsWith(`/${name}`))) broken.push(`${room}: ${name}`)
  }
  const domains = [...folders].flatMap((folder) => /^server\/modules\/([^/]+)$/.exec(folder)?.[1] ?? [])
  return [
    ...broken,
    ...domains
      .filter((name) => !new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(`${map}\n${subjects}`))
      .map((name) => `modules/${name} is not on the map`),
  ]
}

/**
 * Returns the scripts that the README does not explain. The pre and post scripts of npm belong to the script that they
 * wrap.
 */
export function unexplained(readme: string, scripts: readonly string[]): string[] {
  const isHook = (name: string): boolean => /^(pre|post)/.test(name) && scripts.includes(name.replace(/^(pre|post)/, ''))
  const format = (name: string): boolean => new RegExp(`npm (run )?(--silent )?${name}(?![\\w:-])`).test(readme)
  return scripts.filter((name) => !isHook(name) && !format(name))
}
