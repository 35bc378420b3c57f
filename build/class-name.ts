import { basename } from 'node:path'

/**
 * What a class of a module is called in the page: after its file, so that it is read there too. `slip.module.css` calls its `.net` `slip-net` and
 * its `.root` `slip`; no two files share a name.
 */
export function toClassName(name: string, file: string): string {
  const stem = basename(file.replace(/\?.*$/, ''), '.module.css')
  return name === 'root' ? stem : `${stem}-${name}`
}
