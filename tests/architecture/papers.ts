/** Compares what the documentation says about the source with the source. */

/** Folders and files that its map names and that do not exist, and domains that it does not name. */
export function wrongMap(page: string, paths: readonly string[]): string[] {
  const map = /## Map\s+```\n([\s\S]*?)```/.exec(page)?.[1] ?? ''
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
    ...domains.filter((name) => !new RegExp(`\\b${name}\\b`).test(map)).map((name) => `modules/${name} is not on the map`),
  ]
}

/** Scripts that the README does not explain. What npm runs before or after another is part of that. */
export function unexplained(readme: string, scripts: readonly string[]): string[] {
  const isHook = (name: string): boolean => /^(pre|post)/.test(name) && scripts.includes(name.replace(/^(pre|post)/, ''))
  const format = (name: string): boolean => new RegExp(`npm (run )?(--silent )?${name}(?![\\w:-])`).test(readme)
  return scripts.filter((name) => !isHook(name) && !format(name))
}
