/** The order of test files. */
import { statSync } from 'node:fs'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Projects with slow files go first, so that only small files are left at the end and no core idles. */
const projects = ['e2e', 'served', 'api', 'portable', 'contract', 'architecture', 'client', 'plain', 'unit', 'platform']

export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sizes = new Map(files.map((file) => [file, this.ctx.cache.getTestSpecificationResult(file)?.duration ?? 0]))
    const exists = [...sizes.values()].every((duration) => duration > 0)
    const size = (file: TestSpecification): number => (exists ? (sizes.get(file) ?? 0) : statSync(file.moduleId).size)
    const rank = (file: TestSpecification): number => projects.indexOf(file.project.name)
    return files.toSorted((a, b) => rank(a) - rank(b) || size(b) - size(a))
  }
}
