const parseHexChannels = (hex: string): number[] => {
  const digits = hex.length === 4 ? hex.replace(/[\da-f]/gi, '$&$&') : hex
  return [1, 3, 5].map((at) => Number.parseInt(digits.slice(at, at + 2), 16))
}

/** Mixes a percentage of one color into another, like CSS in sRGB: both `#0f766e` and `#fff` are supported. */
export function mixColors(one: string, percent: number, other: string): string {
  const otherChannels = parseHexChannels(other)
  const mixed = parseHexChannels(one).map((value, at) =>
    Math.round((value * percent + (otherChannels[at] ?? 0) * (100 - percent)) / 100),
  )
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}
