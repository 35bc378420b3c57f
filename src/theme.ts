/**
 * The single source of the visual design. These tokens define the CSS variables (`theme.css`, checked by a test),
 * antd's tokens (`shell/theme/antd-theme.ts`) and antd-mobile's variables (`shell/mobile/mobile.css`). Text pairs have
 * a contrast of 4.5 or more on both surfaces.
 */

declare module 'react' {
  /** Custom properties in a `style`, which style sheets read. */
  interface CSSProperties {
    [property: `--${string}`]: string | number | undefined
  }
}
const lightColors = {
  paper: '#F7F6F3',
  card: '#FFFFFF',
  rule: '#E7E5E0',
  ink: '#1C1917',
  ink2: '#57534E',
  ink3: '#6F6860',
  brand: '#0F766E',
  'on-brand': '#FFFFFF',
  danger: '#B42318',
  warn: '#B54708',
  ok: '#067647',
  info: '#175CD3',
}
export type ColorName = keyof typeof lightColors
const darkColors: Record<ColorName, string> = {
  paper: '#12110F',
  card: '#1C1A17',
  rule: '#2E2B27',
  ink: '#F5F4F0',
  ink2: '#B8B2A7',
  ink3: '#958E83',
  brand: '#2DD4BF',
  'on-brand': '#0B1F1D',
  danger: '#F97066',
  warn: '#FDB022',
  ok: '#47CD89',
  info: '#84ADFF',
}
export const colors = { light: lightColors, dark: darkColors }
export type StatusColor = 'ink' | 'ink2' | 'ink3' | 'brand' | 'danger' | 'warn' | 'ok' | 'info'
/** Returns a theme color as a CSS value. */
export const toCssColor = (name: ColorName): string => `var(--${name})`

export const fontFamily =
  '"PingFang SC", "HarmonyOS Sans SC", "Microsoft YaHei", "Noto Sans SC", "Noto Sans CJK SC", system-ui, sans-serif'
export const radius = 8
export const cardRadius = 12
/** The width of the desktop menu (spec §9), and the window width below which it is collapsed. */
export const sideMenuWidth = 210
export const narrowWidth = 800

export const shadow = { light: '0 8px 28px rgb(28 25 23 / 12%)', dark: '0 8px 28px rgb(0 0 0 / 48%)' }

const formatSchemeVariables = (scheme: 'light' | 'dark') =>
  [
    ...Object.entries(colors[scheme]).map(([name, value]) => `  --${name}: ${value.toLowerCase()};`),
    `  --shadow: ${shadow[scheme]};`,
  ].join('\n')

/** Builds the variables part of `theme.css`. */
export const buildThemeVariables = (): string =>
  `:root {\n  color-scheme: light dark;\n${formatSchemeVariables('light')}\n}\n\n@media (prefers-color-scheme: dark) {\n${`:root {\n${formatSchemeVariables('dark')}\n}`
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n')}\n}\n`

/** Follows the system setting live. */
export const darkModeQuery = '(prefers-color-scheme: dark)'
export const reducedMotionQuery = '(prefers-reduced-motion: reduce)'
