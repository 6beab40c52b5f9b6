/** Runs jobs concurrently, at most `limit` at once. The results are in the order of the jobs. */
export async function runConcurrently<Result>(
  limit: number,
  jobs: readonly (() => Promise<Result>)[]
): Promise<Result[]> {
  const results: Result[] = []
  const waiting = jobs.entries()
  const work = async () => {
    for (const [index, job] of waiting) results[index] = await job()
  }
  await Promise.all(Array.from({ length: limit }, work))
  return results
}
