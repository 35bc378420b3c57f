/** The theme as antd tokens. Separate from theme.ts so that /m does not include it. */
import { type ColorName, cardRadius, colors, fontFamily, radius, shadow } from '../../theme.ts'
import { mixColors } from './mix-colors.ts'

/** Returns antd's tokens; the algorithm (light or dark) is chosen where antd is loaded. */
export function getAntdToken(
  scheme: 'light' | 'dark',
  { still: reducedMotion, touched: isTouch }: { still: boolean; touched: boolean },
) {
  const c = colors[scheme]
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
    fontFamily,
    fontSize: 14,
    borderRadius: radius,
    borderRadiusLG: cardRadius,
    boxShadow: shadow[scheme],
    boxShadowSecondary: shadow[scheme],
    // A finger needs larger targets than a mouse.
    controlHeight: isTouch ? 40 : 36,
    controlHeightLG: isTouch ? 40 : 36,
    // Within rows and lines of text only.
    controlHeightSM: isTouch ? 40 : 28,
    // The brand color at 24 % opacity.
    controlOutline: `${c.brand}3D`,
    motion: !reducedMotion,
    motionDurationFast: '0.1s',
    motionDurationMid: '0.15s',
    motionDurationSlow: '0.15s',
  }
}

/** Returns colors that antd's dark algorithm must not recompute. */
export function getFixedAntdColors(scheme: 'light' | 'dark') {
  const c = colors[scheme]
  const getHoverColor = (name: 'brand' | 'danger') => mixColors(c[name], 86, scheme === 'light' ? '#000' : '#fff')
  const getSoftColor = (name: ColorName) => mixColors(c[name], scheme === 'light' ? 9 : 16, c.card)
  return {
    colorPrimary: c.brand,
    colorPrimaryHover: getHoverColor('brand'),
    colorPrimaryActive: getHoverColor('brand'),
    colorPrimaryBg: getSoftColor('brand'),
    colorPrimaryBgHover: getSoftColor('brand'),
    colorPrimaryBorder: c.brand,
    colorLink: c.brand,
    colorLinkHover: getHoverColor('brand'),
    colorLinkActive: getHoverColor('brand'),
    colorError: c.danger,
    colorErrorHover: getHoverColor('danger'),
    colorErrorActive: getHoverColor('danger'),
    colorErrorText: c.danger,
    colorWarning: c.warn,
    colorSuccess: c.ok,
    colorInfo: c.info,
  }
}

/** Returns additional tokens of single antd components. */
export function getAntdComponentTokens(scheme: 'light' | 'dark') {
  const c = colors[scheme]
  return {
    Button: {
      // One height and one corner for every button outside rows.
      borderRadiusLG: radius,
      borderRadiusSM: radius,
      contentFontSizeLG: 14,
      paddingInlineLG: 24,
      primaryColor: c['on-brand'],
      dangerColor: c['on-brand'],
      primaryShadow: 'none',
      defaultShadow: 'none',
      dangerShadow: 'none',
    },
    Tooltip: { colorTextLightSolid: '#ffffff', colorBgSpotlight: scheme === 'light' ? c.ink : '#45403a' },
    Table: { headerBg: 'transparent', headerSplitColor: 'transparent', rowHoverBg: c.paper },
    Modal: { titleFontSize: 16 },
    Tree: { titleHeight: 36, nodeSelectedBg: mixColors(c.brand, 12, c.card) },
  }
}
