import { basename } from 'node:path'

/**
 * Builds the CSS class name that appears in the page from the name of its file, so that it can be recognized in the
 * DOM. `slip.module.css` turns `.net` into `slip-net` and `.root` into `slip`; file names must be unique.
 */
export function toClassName(name: string, file: string): string {
  const stem = basename(file.replace(/\?.*$/, ''), '.module.css')
  return name === 'root' ? stem : `${stem}-${name}`
}
