/** `npm run trust bare` takes each protection of the sender out by its text. That the texts are there is seen in every run, not at the next trial. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { protections } from '../kit/outside/sending/protections.ts'

it.each(protections.flatMap(({ name, changes }) => changes.map(({ file, from }) => [name, file, from] as const)))(
  '%s stands once in %s',
  (_name, file, from) => {
    expect(readFileSync(file, 'utf8').split(from)).toHaveLength(2)
  },
)
