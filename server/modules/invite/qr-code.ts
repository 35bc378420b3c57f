/** A join address as a picture. */
import { encode } from 'uqr'

/** Light modules around the code, without which readers do not find it (ISO/IEC 18004, 9.1). */
const quietZoneModules = 4

/**
 * A QR code as an SVG: black on white whatever the page's colours, error correction M (a seventh of it may be damaged). A run of dark
 * modules is one stroke of the path: a third of the bytes of a square for each, and no hairlines between them on a printed page.
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
