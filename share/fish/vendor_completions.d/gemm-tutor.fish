# fish completion for gemm-tutor: bash's script, which is installed with this one, says what fits the words typed.

set -g __gemm_tutor_script (realpath (status dirname))/../../bash-completion/completions/gemm-tutor

function __gemm_tutor_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    set -l option (string match -r '^--[^=]*=' -- "$word"; or echo) # before the name of a file
    set -l path (string replace -r '^--[^=]*=' '' -- "$word")
    for line in (bash $__gemm_tutor_script $words "$word" 2>/dev/null)
        set -l candidate (string split -f 1 \t -- $line)
        switch $candidate
            case 'folders:'
                set -l folders $path*/
                printf '%s\n' $option$folders
            case 'files:*'
                set -l ending (string replace 'files:' '' -- $candidate)
                set -l files $path*/ $path*$ending
                printf '%s\n' $option$files
            case '*'
                echo $line
        end
    end
end
complete -c gemm-tutor -f -a '(__gemm_tutor_complete)'
