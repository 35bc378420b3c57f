/** The budgets of the build weigh what a browser really fetches: otherwise they would keep a figure that nobody has. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { pages, type Weights, weightsFile } from '../../build/budgets.ts'
import { fetched } from '../bench/weights.ts'

it('a browser fetches of each page the files that the build weighed', async () => {
  const weighed = JSON.parse(readFileSync(join(import.meta.dirname, '../../dist', weightsFile), 'utf8')) as Weights
  const really = await fetched()
  // What has begun by the first letter depends on how fast a machine is: of that only `npm run bench weight` tells.
  for (const { name } of pages.filter(({ name }) => name !== 'login page, to type'))
    expect(really[name].map((path) => path.slice(1)).toSorted(), name).toEqual(weighed[name].files.toSorted())
})
