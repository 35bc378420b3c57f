/** Whose a class is: of the module of its file, or of the shared ground. */
import { posix } from 'node:path'
import { classOf } from '../../build/class-of.ts'
import { count, type Files, type Found, type Node, nodesOf, textsOf, treeOf } from './source.ts'

/**
 * What every page may use by name. Colours and type; what phones and desk share; the desk; its tables; antd; the frame of phone pages, which dresses
 * antd-mobile; what is drawn before a script of ours runs, by scripts that stand in the page; and a page without scripts.
 */
const page = 'src/pc/page/index/index.css'
const ground = [
  'src/theme.css',
  'src/ui/ui.css',
  'src/ui/table/desk.css',
  'src/ui/table/table.css',
  'src/shell/pocket/pocket.css',
  'src/parts/ahead/waiting.css',
  'src/ui/table/ant.css',
  page,
]
/** Classes of libraries. */
const theirs = /^(ant|adm|rc)-/

/** The selectors of a style sheet, one by one. */
const selectorsOf = (text: string): string[] =>
  [...text.replace(/\/\*[\s\S]*?\*\//g, '').matchAll(/([^{};]+)\{/g)]
    .map((match) => match[1]?.trim() ?? '')
    .filter((one) => !one.startsWith('@'))
    .flatMap((one) => one.split(','))
const namesIn = (selector: string): string[] => [...selector.matchAll(/\.([a-z][\w-]*)/gi)].map((match) => match[1] ?? '')
const isModule = (path: string): boolean => path.endsWith('.module.css')
const globalsIn = (selector: string): string[] => (selector.match(/:global\([^)]*\)/g) ?? []).flatMap(namesIn)
const ownIn = (selector: string): string[] => namesIn(selector.replace(/:global\([^)]*\)/g, ''))

const sheetsOf = (files: Files): [string, string[]][] =>
  textsOf(files, (path) => path.startsWith('src/') && path.endsWith('.css')).map(([path, text]) => [path, selectorsOf(text)])

/** A class of the shared ground that several files dress. Where it only tells where something stands, it is nobody's. */
export function sharedClasses(files: Files): Found {
  const dressed = sheetsOf(files).flatMap(([path, selectors]) => {
    const subjects = selectors.map(
      (one) =>
        one
          .trim()
          .split(/[\s>+~]+/)
          .at(-1) ?? '',
    )
    return [...new Set(subjects.flatMap(isModule(path) ? globalsIn : namesIn))]
  })
  const shared = Object.entries(count(dressed.filter((name) => !theirs.test(name)))).filter(([, places]) => places > 1)
  return Object.fromEntries(shared)
}

const camel = (name: string): string => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
const nameOf = (node: unknown): string => String((node as Node | undefined)?.name ?? '')

/** The literals of one file that are classes: what stands in an attribute, a property or a default whose name ends in "class" or "className". */
function classesSaid(path: string, text: string): string[] {
  return nodesOf(treeOf(path, text)).flatMap(([node, inside]) => {
    const said =
      node.type === 'Literal' ? node.value : node.type === 'TemplateElement' ? (node.value as { cooked: unknown }).cooked : null
    if (typeof said !== 'string' || inside.at(-1)?.type === 'BinaryExpression') return []
    const near = inside.findLast(({ type }) =>
      /^(JSXAttribute|Property|AssignmentPattern|ArrowFunctionExpression|CallExpression)$/.test(type),
    )
    const holder =
      near?.type === 'JSXAttribute'
        ? near.name
        : near?.type === 'Property'
          ? near.key
          : near?.type === 'AssignmentPattern'
            ? near.left
            : null
    return /class(Name)?$/i.test(nameOf(holder)) ? said.split(/\s+/).filter(Boolean) : []
  })
}

/** What is said and styled nowhere, or styled and said nowhere, or called alike in two files. */
export function strangers(files: Files): Found {
  const sheets = sheetsOf(files)
  const shared = new Set(
    sheets.flatMap(([path, selectors]) => (isModule(path) || path === page ? [] : selectors.flatMap(namesIn))),
  )
  const modules = new Map(
    sheets.filter(([path]) => isModule(path)).map(([path, selectors]) => [path, new Set(selectors.flatMap(ownIn))]),
  )
  const unused = new Map([...modules].map(([path, names]) => [path, new Map([...names].map((name) => [camel(name), name]))]))
  const found: string[] = sheets.flatMap(([path]) =>
    isModule(path) || ground.includes(path) ? [] : [`${path} is neither a module nor shared ground`],
  )
  for (const [path, selectors] of sheets.filter(([one]) => isModule(one)))
    for (const name of new Set(selectors.flatMap(globalsIn)))
      if (!shared.has(name) && !theirs.test(name)) found.push(`${path} asks for .${name}`)
  for (const [path, text] of textsOf(files, (one) => /^(src|tests\/client)\/.*\.tsx?$/.test(one))) {
    for (const name of classesSaid(path, text))
      if (path.startsWith('src/') && !shared.has(name) && !theirs.test(name)) found.push(`${path} says ${name}`)
    for (const [, local = '', from = ''] of text.matchAll(/^import (\w+) from '(\.[^']+\.module\.css)'/gm)) {
      const sheet = posix.join(posix.dirname(path), from)
      for (const [, name = ''] of text.matchAll(new RegExp(`(?<![\\w.$])${local}\\.(\\w+)`, 'g'))) {
        unused.get(sheet)?.delete(name)
        if (![...(modules.get(sheet) ?? [])].some((one) => camel(one) === name)) found.push(`${path} says ${local}.${name}`)
      }
    }
  }
  for (const [path, names] of unused) for (const name of names.values()) found.push(`${path} has .${name} for nobody`)
  const pageNames = [...modules].flatMap(([path, names]) => [...names].map((name) => classOf(name, path)))
  for (const [name, places] of Object.entries(count([...pageNames, ...shared])))
    if (places > 1) found.push(`.${name} is of several files`)
  for (const [path, names] of modules)
    for (const name of names) if (!/^[a-z]+(-[a-z]+)*$/.test(name)) found.push(`${path} spells .${name}`)
  return count(found)
}
