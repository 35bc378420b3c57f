/**
 * The look, once: a well-kept ledger. From these tokens come the CSS variables (`theme.css`, kept equal by a test), the antd
 * theme and the antd-mobile variables. Text pairs have a contrast of 4.5 or more on both surfaces.
 */
const light = {
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
export type Colour = keyof typeof light
const dark: Record<Colour, string> = {
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
export const colours = { light, dark }
export type Tone = 'ink' | 'ink2' | 'ink3' | 'brand' | 'danger' | 'warn' | 'ok' | 'info'
/** A colour of the look as a CSS value. */
export const colour = (name: Colour): string => `var(--${name})`

export const font =
  '"PingFang SC", "HarmonyOS Sans SC", "Microsoft YaHei", "Noto Sans SC", "Noto Sans CJK SC", system-ui, sans-serif'
export const radius = 8
export const cardRadius = 12
/** Layout offsets of spec §9 and the width under which the desk folds its menu away. */
export const topBar = 70
export const sideMenu = 210
export const narrow = 800

const shadow = { light: '0 8px 28px rgb(28 25 23 / 12%)', dark: '0 8px 28px rgb(0 0 0 / 48%)' }

const block = (scheme: 'light' | 'dark') =>
  [
    ...Object.entries(colours[scheme]).map(([name, value]) => `  --${name}: ${value.toLowerCase()};`),
    `  --shadow: ${shadow[scheme]};`,
  ].join('\n')

/** The variables part of `theme.css`. */
export const variables = `:root {\n  color-scheme: light dark;\n${block('light')}\n}\n\n@media (prefers-color-scheme: dark) {\n${`:root {\n${block('dark')}\n}`
  .split('\n')
  .map((line) => `  ${line}`)
  .join('\n')}\n}\n`

/** Follows the system, live. */
export const darkQuery = '(prefers-color-scheme: dark)'
export const stillQuery = '(prefers-reduced-motion: reduce)'

/** antd's tokens; the algorithm (light or dark) is chosen beside it, where antd is loaded. */
export function antdToken(scheme: 'light' | 'dark', still: boolean) {
  const c = colours[scheme]
  return {
    colorPrimary: c.brand,
    colorLink: c.brand,
    colorTextLightSolid: c['on-brand'],
    colorError: c.danger,
    colorWarning: c.warn,
    colorSuccess: c.ok,
    colorInfo: c.info,
    colorBgLayout: c.paper,
    colorBgContainer: c.card,
    colorBgElevated: c.card,
    colorText: c.ink,
    colorTextSecondary: c.ink2,
    colorTextTertiary: c.ink3,
    colorTextDescription: c.ink3,
    colorTextPlaceholder: c.ink3,
    colorTextQuaternary: c.ink3,
    colorBorder: scheme === 'light' ? '#CFCBC3' : '#48443E',
    colorBorderSecondary: c.rule,
    colorSplit: c.rule,
    fontFamily: font,
    fontSize: 14,
    borderRadius: radius,
    borderRadiusLG: cardRadius,
    boxShadow: shadow[scheme],
    boxShadowSecondary: shadow[scheme],
    controlHeight: 36,
    motion: !still,
    motionDurationFast: '0.1s',
    motionDurationMid: '0.15s',
    motionDurationSlow: '0.15s',
  }
}

/** Colours that antd's dark algorithm must not recompute. */
export function antdFixed(scheme: 'light' | 'dark') {
  const c = colours[scheme]
  const over = (name: 'brand' | 'danger') => `color-mix(in srgb, ${c[name]} 86%, ${scheme === 'light' ? '#000' : '#fff'})`
  const soft = (name: Colour) => `color-mix(in srgb, ${c[name]} ${scheme === 'light' ? 9 : 16}%, ${c.card})`
  return {
    colorPrimary: c.brand,
    colorPrimaryHover: over('brand'),
    colorPrimaryActive: over('brand'),
    colorPrimaryBg: soft('brand'),
    colorPrimaryBgHover: soft('brand'),
    colorPrimaryBorder: c.brand,
    colorLink: c.brand,
    colorLinkHover: over('brand'),
    colorLinkActive: over('brand'),
    colorError: c.danger,
    colorErrorHover: over('danger'),
    colorErrorActive: over('danger'),
    colorErrorText: c.danger,
    colorWarning: c.warn,
    colorSuccess: c.ok,
    colorInfo: c.info,
  }
}

/** What single antd components need besides. */
export function antdParts(scheme: 'light' | 'dark') {
  const c = colours[scheme]
  return {
    Button: {
      primaryColor: c['on-brand'],
      dangerColor: c['on-brand'],
      primaryShadow: 'none',
      defaultShadow: 'none',
      dangerShadow: 'none',
    },
    Tooltip: { colorTextLightSolid: '#ffffff', colorBgSpotlight: scheme === 'light' ? c.ink : '#45403a' },
    Table: { headerBg: 'transparent', headerSplitColor: 'transparent', rowHoverBg: c.paper },
    Modal: { titleFontSize: 16 },
    Form: { itemMarginBottom: 20 },
    Tree: { titleHeight: 36, nodeSelectedBg: `color-mix(in srgb, ${c.brand} 12%, ${c.card})` },
  }
}
