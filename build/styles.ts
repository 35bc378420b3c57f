/**
 * PostCSS plugins for older browsers: mixed colors (`color-mix` came with Chrome 111) are computed from the tokens of
 * theme.css, and heights get a fallback without `dvh`.
 */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'
import postcss, { AtRule, type Plugin, type Root, Rule } from 'postcss'
import { preprocessCSS, type ResolvedConfig, type Plugin as VitePlugin } from 'vite'
import { mixColors } from '../src/app/theme/mix-colors.ts'
import { toClassName } from './class-name.ts'
import { applyEdits, type SourceEdit } from './source-edits.ts'

/**
 * Contexts in which a token can have its own value; later ones take precedence. Print is always light, regardless of
 * the screen theme.
 */
type ColorContext = '' | '(prefers-color-scheme: dark)' | 'print'
const colorContexts: readonly ColorContext[] = ['', '(prefers-color-scheme: dark)', 'print']
type Tokens = ReadonlyMap<string, string>

/** Reads the tokens of `:root` for each context. */
function readTokens(css: Root): ReadonlyMap<ColorContext, Tokens> {
  const readOwnTokens = (context: ColorContext): [string, string][] => {
    const tokens: [string, string][] = []
    css.walkRules(':root', (rule) => {
      const at = rule.parent instanceof AtRule ? rule.parent.params : ''
      if (at === context) rule.each((node) => void (node.type === 'decl' && tokens.push([node.prop, node.value])))
    })
    return tokens
  }
  return new Map(
    colorContexts.map((context) => [context, new Map([...readOwnTokens(''), ...(context === '' ? [] : readOwnTokens(context))])]),
  )
}

const colorMixPattern = /color-mix\(in srgb, var\(--([\w-]+)\) (\d+)%, var\(--([\w-]+)\)\)/g

/** Replaces each color mix in a file by a variable and appends the variable's values for light, dark and print. */
export function colorMixPlugin(): Plugin {
  const theme = join(import.meta.dirname, '../src/theme.css')
  const tokens = readTokens(postcss.parse(readFileSync(theme, 'utf8'), { from: theme }))
  return {
    postcssPlugin: 'mixes',
    OnceExit(css) {
      const wanted = new Map<string, { one: string; percent: number; other: string }>()
      css.walkDecls((declaration) => {
        if (!declaration.value.includes('color-mix(')) return
        declaration.value = declaration.value.replace(colorMixPattern, (_, one: string, percent: string, other: string) => {
          const name = `--${one}-${percent}-${other}`
          wanted.set(name, { one: `--${one}`, percent: Number(percent), other: `--${other}` })
          return `var(${name})`
        })
        if (declaration.value.includes('color-mix('))
          throw declaration.error(
            'write a mix as color-mix(in srgb, var(--token) 9%, var(--token)): older browsers get it computed',
          )
      })
      if (wanted.size === 0) return
      for (const place of colorContexts) {
        const rule = new Rule({ selector: ':root', source: css.source })
        for (const [prop, { one, percent, other }] of wanted) {
          const [a, b] = [tokens.get(place)?.get(one), tokens.get(place)?.get(other)]
          if (!a || !b) throw css.error(`theme.css has no ${a ? other : one}`)
          rule.append(postcss.decl({ prop, value: mixColors(a, percent, b), source: css.source }))
        }
        css.append(place === '' ? rule : postcss.atRule({ name: 'media', params: place, nodes: [rule], source: css.source }))
      }
    },
  }
}

/**
 * Adds a fallback in `vh` (the viewport height regardless of the browser's bars) for browsers without `dvh` (before
 * Chrome 108).
 */
export const dvhFallbackPlugin = (): Plugin => ({
  postcssPlugin: 'heights',
  OnceExit(css) {
    css.walkDecls(/height$/, (declaration) => {
      const value = declaration.value.replace(/(\d)dvh\b/g, '$1vh')
      if (value !== declaration.value) declaration.cloneBefore({ value })
    })
  },
})

/** Options for CSS modules: scripts refer to a class by a camel case name only. */
export const cssModulesOptions = { generateScopedName: toClassName, localsConvention: 'camelCaseOnly' } as const

/** Converts the camel case name in scripts to the class name: `styles.rowHead` is `.row-head`. */
const toKebabCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

const moduleSuffix = '.module.css'
const plainSuffix = '.plain.css'

/** Replaces the default import of a CSS module by its side effect, and each of its members by the class name. */
export function inlineClassNames(code: string, file: string): string {
  const styleFiles = new Map<string, string>()
  const edits: SourceEdit[] = []
  new Visitor({
    ImportDeclaration({ start, end, source, specifiers: [specifier] }) {
      if (!source.value.endsWith(moduleSuffix) || !specifier) return
      styleFiles.set(specifier.local.name, source.value)
      edits.push({ start, end, text: `import '${source.value}'` })
    },
    MemberExpression({ start, end, object, property, computed }) {
      const styleFile = object.type === 'Identifier' ? styleFiles.get(object.name) : undefined
      if (styleFile === undefined) return
      if (computed || property.type !== 'Identifier') throw new Error(`${file} looks up a class by an expression`)
      edits.push({ start, end, text: `'${toClassName(toKebabCase(property.name), styleFile)}'` })
    },
  }).visit(parseSync(file, code).program)
  return applyEdits(code, edits)
}

/**
 * In the production build, replaces each class reference by its literal name and imports the CSS file only for its side
 * effect. Scripts then carry no map of all class names of a file, and no empty module remains for its styles, as Vite
 * would leave one.
 */
export function plainClassesPlugin(): VitePlugin {
  let config: ResolvedConfig
  return {
    name: 'plain-classes',
    apply: 'build',
    enforce: 'pre',
    configResolved(resolved) {
      // Our own PostCSS plugins run when Vite processes the result of `load`.
      config = { ...resolved, css: { ...resolved.css, postcss: { plugins: [] } } }
    },
    resolveId: {
      filter: { id: /\.module\.css$/ },
      handler: (source, importer) => (importer ? join(dirname(importer), source).replace(moduleSuffix, plainSuffix) : null),
    },
    load: {
      filter: { id: /\.plain\.css$/ },
      async handler(id) {
        const file = id.replace(plainSuffix, moduleSuffix)
        this.addWatchFile(file)
        return (await preprocessCSS(readFileSync(file, 'utf8'), file, config)).code
      },
    },
    transform: {
      filter: { id: /\/src\/.*\.tsx?(\?|$)/, code: moduleSuffix },
      handler: (code, id) => ({ code: inlineClassNames(code, id.replace(/\?.*$/, '')), map: null }),
    },
  }
}
