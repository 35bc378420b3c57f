/** A join URL as a QR code. */
import { encode } from 'uqr'

/** Light modules around the code, without which readers do not find it (ISO/IEC 18004, 9.1). */
const quietZoneModules = 4

/**
 * Renders a QR code as an SVG: black on white regardless of the page's colors, with error correction M (a seventh may
 * be damaged). Consecutive dark modules are one stroke of the path, which takes a third of the bytes of separate
 * squares and leaves no hairlines in print.
 */
export function renderQrCodeSvg(text: string): string {
  const { data, size } = encode(text, { ecc: 'M', border: quietZoneModules })
  const path = data
    .flatMap((row, y) =>
      [...row.map(Number).join('').matchAll(/1+/g)].map(({ 0: run, index: x }) => `M${x} ${y}h${run.length}v1h-${run.length}z`),
    )
    .join('')
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${path}"/></svg>`
}
