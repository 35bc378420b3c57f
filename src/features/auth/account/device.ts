import { chatProviders, providerLabels, providers } from '../../../../server/contract/shared/providers.ts'

/** Turns a browser's user agent into a readable name: 「企业微信 · iPhone」, 「Chrome · Windows 电脑」. */
const browserPatterns: readonly (readonly [RegExp, string])[] = [
  // Chat clients also identify themselves as the browser that they embed.
  ...providers.map((provider) => [chatProviders[provider].userAgent, providerLabels[provider]] as const),
  [/MicroMessenger\//i, '微信'],
  [/AlipayClient\//i, '支付宝'],
  [/Edg(A|iOS)?\//, 'Edge'],
  [/(OPR|Opera)\//, 'Opera'],
  [/HuaweiBrowser\//i, '华为浏览器'],
  [/MiuiBrowser\//i, '小米浏览器'],
  [/(VivoBrowser|HeyTapBrowser)\//i, '手机浏览器'],
  [/(QQBrowser|MQQBrowser)\//i, 'QQ 浏览器'],
  [/(UCBrowser|UCWEB)\//i, 'UC 浏览器'],
  [/(QihooBrowser|360SE|360EE)/i, '360 浏览器'],
  [/(Firefox|FxiOS)\//, 'Firefox'],
  [/(Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]
const devicePatterns: readonly (readonly [RegExp, string])[] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/(HarmonyOS|OpenHarmony)/i, '鸿蒙手机'],
  [/Android(?!.*Mobile)/, '安卓平板'],
  [/Android/, '安卓手机'],
  [/Windows/, 'Windows 电脑'],
  [/Macintosh|Mac OS X/, 'Mac'],
  [/CrOS/, 'Chromebook'],
  [/Linux|X11/, 'Linux 电脑'],
]
const findLabel = (patterns: typeof browserPatterns, text: string) => patterns.find(([pattern]) => pattern.test(text))?.[1]

export function formatDeviceName(userAgent: string): string {
  const [program, machine] = [findLabel(browserPatterns, userAgent), findLabel(devicePatterns, userAgent)]
  return [program, machine].filter(Boolean).join(' · ') || '未知设备'
}
