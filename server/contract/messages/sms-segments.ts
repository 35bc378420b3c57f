/** Counts the segments of an SMS, which gateways send and charge. */

/** GSM 03.38: these characters take one septet, those of the extension table two; any other makes the message UCS-2. */
const gsm =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'
const gsmExtension = '\f^{}\\[~]|€'

/** Counts the segments that gateways charge: 160 septets in one, 153 in each of several; for UCS-2 70 and 67 characters. */
export function countSmsSegments(text: string): number {
  const chars = [...text]
  if (chars.every((char) => gsm.includes(char) || gsmExtension.includes(char))) {
    const places = chars.map((char) => (gsmExtension.includes(char) ? 2 : 1))
    return places.reduce((sum, one) => sum + one, 0) <= 160 ? 1 : countSegments(places, 153)
  }
  const units = chars.map((char) => char.length)
  return text.length <= 70 ? 1 : countSegments(units, 67)
}

/** A character of two units is not split across segments. */
function countSegments(places: readonly number[], most: number): number {
  let segments = 1
  let used = 0
  for (const one of places) {
    if (used + one > most) {
      segments += 1
      used = 0
    }
    used += one
  }
  return segments
}
