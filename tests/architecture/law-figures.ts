/** Finds legal figures that are written into sentences. */
import { count, type Files, getLiterals, getTexts, isCode, isProduct, type Match } from './source.ts'

/**
 * Finds figures of four digits or more inside Chinese sentences. A figure from a law belongs in a dated table row, from
 * which the sentence is filled in. Counts by figure and not by file, so that moving a sentence changes nothing.
 */
export const findFiguresInSentences = (files: Files): Match =>
  count(
    getTexts(
      files,
      (path) => isCode(path) && isProduct(path) && /^(server|src)\//.test(path) && !path.startsWith('server/demo/'),
    ).flatMap(([path, text]) =>
      getLiterals(path, text)
        .filter((one) => /[\u4e00-\u9fff]/.test(one.text))
        .flatMap((one) =>
          [...one.text.matchAll(/(?<![\d.,-])(?:\d{1,3}(?:,\d{3})+|\d{4,})(?![\d年-])/g)].map(
            (match) => `a sentence says ${match[0]}`,
          ),
        ),
    ),
  )
