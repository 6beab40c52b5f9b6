/**
 * A reference solution for each task in skills/petstore/evals.json, by its id: what an agent that
 * has read the skill types. It runs in bash, after the set-up of the task and in the same shell.
 */
export const solutions: Readonly<Record<number, string>> = {
  1: `petstore pets list --env local --status sold --fields id,name`,
  2: `petstore pets add --env local --name "O'Malley & Söhne" --category-id 9007199254740993`,
  3: `
    export PETSTORE_BASE_URL=http://127.0.0.1:4701/v1
    for try in 1 2 3 4 5 6 7 8 9; do
      count=$(petstore pets list --name Bodo --category-id 7 --retries 9 --jq length) || continue
      [ "$count" = 0 ] || break
      petstore pets add --name Bodo --category-id 7
    done`,
  4: `
    timeout 60 petstore pets list --env local --name Zora --status available \\
      --until 'length > 0' --jq '.[0].id' > zora.txt`,
  5: `
    petstore pets import pets.csv --env local --rejects bad.csv
    sed -e 's/^\\(Row[0-9]*\\),,/\\1,1,/' -e 's/,lost$/,pending/' -e '/^,/d' bad.csv > fixed.csv
    petstore pets import fixed.csv --env local`,
  6: `
    export PETSTORE_BASE_URL=http://127.0.0.1:4703/v1
    settle=
    for try in 1 2 3 4 5 6 7 8 9; do
      petstore pets import rows.ndjson $settle 2> summary.json > rows.json && break
      accepted= resent=
      ranges=$(sed -n 's/.*"doubtfulLines":"\\([^"]*\\)".*/\\1/p' summary.json)
      for range in \${ranges//,/ }; do
        for line in $(seq \${range%-*} \${range#*-}); do
          count=$(petstore pets list --name "Pet$line" --retries 9 --jq length)
          if [ "$count" = 1 ]; then accepted=$accepted,$line; else resent=$resent,$line; fi
        done
      done
      settle="\${accepted:+--accept \${accepted#,}} \${resent:+--resend \${resent#,}}"
    done`,
  7: `
    run_json() { petstore "$@" --json | tr -d '\\n'; echo; }
    run_json config path
    run_json config set timeout 20
    run_json env list
    run_json pets list --env local --limit 1
    petstore config unset timeout`,
  8: `
    {
      echo 'export PETSTORE_API_KEY=KEY'
      echo 'export PETSTORE_BASE_URL=https://pets.example.invalid/v1'
      echo 'petstore pets list'
    } > ci.sh`,
  9: `
    PETSTORE_API_KEY=$(petstore auth token --env shop) \\
      petstore serve --port 4705 --empty > ready.json 2> serve.log &
    echo $! >> pids
    petstore pets list --env shop --retries 9`,
  10: `timeout 30 petstore pets list --env local --watch 1 > events.ndjson`,
  11: `
    petstore pets list --env local --jq length
    petstore pets list --env local \\
      --jq 'group_by(.categoryId) | max_by(length) | .[0].categoryId'
    petstore messages send '58 pets, category 51' --env local --jq '[.id, .status]'`,
  12: `petstore pets add --name Testhund --category-id 1 --env staging`,
  13: `
    cat > add-nora.sh <<'end'
printf '{"name":"Nora","categoryId":6}\\n' | petstore pets import - --env local
end`,
  14: `petstore pets list --env local --name Quill --jq '.[].id' > quill.txt`,
  15: `
    timeout 5 petstore pets list --env local --name Mona \\
      --until 'length > 0' --jq '.[0].id' > mona.txt
    [ $? != 124 ] || echo timeout > mona.txt`,
  16: `
    state() {
      petstore pets get "$@" > pet.json 2> error.json
      case $? in 0) echo found;; 5) echo missing;; 6) echo unreachable;; esac
    }
    {
      state 3 --env local
      state 999 --env local
      PETSTORE_BASE_URL=http://127.0.0.1:4708/v1 state 3
    } > state.txt`,
  17: `petstore pets list --env local -o csv --fields id,name > pets.csv`,
  18: `petstore pets add --name Otis --category-id 5 --env production --dry-run > add.sh`,
  19: `
    petstore auth login --env depot --base-url http://127.0.0.1:4709/v1 < key.txt &&
      petstore pets list --env depot --limit 1 &&
      rm key.txt`,
  20: `
    petstore serve --port 0 --empty --fail 0.1 > ready.json 2> serve.log &
    echo $! >> pids
    until [ -s ready.json ]; do sleep 0.1; done
    sed 's/.*"url":"\\([^"]*\\)".*/\\1/' ready.json > url.txt
    sed 's/.*"apiKey":"\\([^"]*\\)".*/\\1/' ready.json > key.txt`
}
