# fish completion for gemm-tutor: the program says what fits the words typed so far.

function __gemm_tutor_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    for line in (command $words[1] complete $words[2..-1] "$word" 2>/dev/null)
        set -l candidate (string split -f 1 \t -- $line)
        switch $candidate
            case 'folders:'
                __fish_complete_directories "$word"
            case 'files:*'
                __fish_complete_suffix (string replace 'files:' '' -- $candidate)
            case '*'
                echo $line
        end
    end
end
complete -c gemm-tutor -f -a '(__gemm_tutor_complete)'
