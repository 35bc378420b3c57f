/** The look in antd's words. Apart from theme.ts so that /m does not carry it. */
import { type Colour, cardRadius, colours, font, radius, shadow } from '../../theme.ts'
import { mix } from './mix.ts'

/** antd's tokens; the algorithm (light or dark) is chosen beside it, where antd is loaded. */
export function antdToken(scheme: 'light' | 'dark', { still, touched }: { still: boolean; touched: boolean }) {
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
    // A thumb needs more than a mouse.
    controlHeight: touched ? 40 : 36,
    ...(touched ? { controlHeightSM: 40 } : {}),
    // The brand at 24 %.
    controlOutline: `${c.brand}3D`,
    motion: !still,
    motionDurationFast: '0.1s',
    motionDurationMid: '0.15s',
    motionDurationSlow: '0.15s',
  }
}

/** Colours that antd's dark algorithm must not recompute. */
export function antdFixed(scheme: 'light' | 'dark') {
  const c = colours[scheme]
  const over = (name: 'brand' | 'danger') => mix(c[name], 86, scheme === 'light' ? '#000' : '#fff')
  const soft = (name: Colour) => mix(c[name], scheme === 'light' ? 9 : 16, c.card)
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
    Tree: { titleHeight: 36, nodeSelectedBg: mix(c.brand, 12, c.card) },
  }
}
