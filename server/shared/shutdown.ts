/** Shuts down in stages, one after the other. Each has its own deadline: one that hangs does not use the time of the next. */
type ShutdownStage = {
  readonly name: string
  readonly within_ms: number
  run(): Promise<unknown>
}

/** Returns the stages that were late or failed. */
export async function shutDownInStages(stages: readonly ShutdownStage[], log: (text: string) => void): Promise<string[]> {
  const unclean: string[] = []
  for (const { name, within_ms, run } of stages) {
    let clock: NodeJS.Timeout | undefined
    const late = new Promise<string>((resolve) => {
      clock = setTimeout(resolve, within_ms, `not within ${within_ms} ms`)
    })
    const ended = run().then(
      () => null,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    )
    const why = await Promise.race([ended, late])
    clearTimeout(clock)
    if (why === null) continue
    unclean.push(name)
    log(`stopping: ${name} did not end: ${why}`)
  }
  return unclean
}
